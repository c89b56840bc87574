// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/Database.h"

#include "support/Error.h"
#include <sqlite3.h>

using namespace llvm;
using namespace assay;

/// How long SQLite waits for another process's lock, in milliseconds.
static constexpr int waitMs = 60000;

/// Columns are counted from 0. NULL reads as an empty text.
std::string Row::text(int column) const {
  const auto *data = reinterpret_cast<const char *>(sqlite3_column_text(m_statement, column));
  return data ? std::string(data, static_cast<size_t>(sqlite3_column_bytes(m_statement, column)))
              : "";
}

/// NULL reads as 0, as SQLite converts it.
int64_t Row::number(int column) const {
  return sqlite3_column_int64(m_statement, column);
}

double Row::real(int column) const {
  return sqlite3_column_double(m_statement, column);
}

void Database::Close::operator()(sqlite3 *database) const {
  sqlite3_close(database);
}

namespace {
/// Frees a prepared statement.
struct Finalize {
  void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};
/// Finalized at the end of its scope.
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
} // namespace

/// Returns the last error of the connection as Environment, and notes a damaged file.
Error Database::problem() {
  int code = sqlite3_errcode(m_database.get()) & 0xff;
  m_isBroken |= code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return environmentError(m_path + ": " + sqlite3_errmsg(m_database.get()));
}

/// Creates the file if it is missing. A locked database is waited for, up to waitMs per statement.
Expected<Database> Database::open(const std::string &path) {
  Database database;
  database.m_path = path;
  sqlite3 *handle = nullptr;
  int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database.m_database.reset(handle);
  if (code != SQLITE_OK)
    return handle ? database.problem() : environmentError(path + ": out of memory");
  sqlite3_busy_timeout(handle, waitMs);
  return std::move(database);
}

/// May hold several statements, separated by semicolons; stops at the first one that fails.
Error Database::execute(const std::string &sql) {
  int code = sqlite3_exec(m_database.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Error::success() : problem();
}

/// Binds a value to parameter \p at, counted from 1; texts are copied. Returns SQLite's code.
static int bindValue(sqlite3_stmt *statement, int at, const SqlValue &value) {
  if (const auto *number = std::get_if<int64_t>(&value))
    return sqlite3_bind_int64(statement, at, *number);
  if (const auto *real = std::get_if<double>(&value))
    return sqlite3_bind_double(statement, at, *real);
  const auto &text = std::get<std::string>(value);
  return sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()),
                           SQLITE_TRANSIENT);
}

/// Binds the values in order; false at the first failure.
static bool bindAll(sqlite3_stmt *statement, ArrayRef<SqlValue> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (bindValue(statement, static_cast<int>(i + 1), values[i]) != SQLITE_OK)
      return false;
  return true;
}

/// Compiles one statement; null on failure.
static Statement prepare(sqlite3 *database, const std::string &sql) {
  sqlite3_stmt *statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  return Statement(statement);
}

/// Not a transaction of its own: the caller begins and commits.
Error Database::insert(const std::string &sql, ArrayRef<std::vector<SqlValue>> rows) {
  Statement statement = prepare(m_database.get(), sql);
  if (!statement)
    return problem();
  for (const std::vector<SqlValue> &row : rows) {
    if (!bindAll(statement.get(), row) || sqlite3_step(statement.get()) != SQLITE_DONE)
      return problem();
    sqlite3_reset(statement.get());
  }
  return Error::success();
}

/// Binds the values to the parameters in order and calls \p take for each row. The row is valid
/// during that call only.
Error Database::query(const std::string &sql, ArrayRef<SqlValue> values,
                      function_ref<void(const Row &)> take) {
  Statement statement = prepare(m_database.get(), sql);
  if (!statement || !bindAll(statement.get(), values))
    return problem();
  for (;;) {
    int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE)
      return Error::success();
    if (code != SQLITE_ROW)
      return problem();
    take(Row(statement.get()));
  }
}
