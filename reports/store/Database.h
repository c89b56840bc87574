// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SQLite with the project's errors: what the store needs of it and no more.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace assay {

/// A row of a result, while it is the present one. Columns from 0; a NULL is 0, or empty.
class Row {
public:
  explicit Row(sqlite3_stmt *statement) : m_statement(statement) {}
  std::string text(int column) const; ///< A copy.
  int64_t number(int column) const;   ///< Of an integer column.
  double real(int column) const;

private:
  sqlite3_stmt *m_statement;
};

/// What can be bound to a "?" of a statement.
using SqlValue = std::variant<int64_t, double, std::string>;

/// One connection. Errors are Environment, with the file's path and SQLite's message.
class Database {
public:
  /// Opens or makes \p path; another process that holds it is waited for, for up to a minute.
  static llvm::Expected<Database> open(const std::string &path);

  /// Statements without values or results, separated by semicolons.
  llvm::Error execute(const std::string &sql);
  /// Runs one statement once for each of \p rows.
  llvm::Error insert(const std::string &sql, llvm::ArrayRef<std::vector<SqlValue>> rows);
  /// Calls \p take for each row of the result.
  llvm::Error query(const std::string &sql, llvm::ArrayRef<SqlValue> values,
                    llvm::function_ref<void(const Row &)> take);
  /// The file is no database or a damaged one, as the last call that went wrong says.
  bool isBroken() const { return m_isBroken; }

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };
  llvm::Error problem();

  std::unique_ptr<sqlite3, Close> m_database;
  std::string m_path;
  bool m_isBroken = false;
};

} // namespace assay
