// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of a plan say. Places like @NAME@ are filled by Plan.cpp. Sources: sbatch(1) of
// Slurm 22.05, parallel(1) of 2022, "CI/CD YAML syntax reference" of GitLab, "Workflow syntax for
// GitHub Actions".
#pragma once

namespace assay::planText {

/// One shard, whoever starts it. A signal ends a `wait`, not the shard; a zombie still answers to
/// `kill -0`, so that the last `wait` has the exit code.
inline constexpr char shard[] = R"TEXT(#!/bin/sh
# shard.sh K: shard K of @SHARDS@ of the campaign. Run again, it goes on where it was; after SIGTERM it finishes
# its batch. 0 when it ended well, with findings or without, and when nothing of it could be compared.
@PROGRAM@ fuzz @ARGUMENTS@ --quiet --shard "$1/@SHARDS@" --output @FOLDER@/shard-"$1" &
child=$!
trap 'kill -TERM $child' TERM INT
wait $child
code=$?
while kill -0 $child 2>/dev/null; do
  wait $child
  code=$?
done
(exit $code) || @UNLESS-WELL@
)TEXT";

/// Afterwards; also before all shards are done.
inline constexpr char merge[] = R"TEXT(#!/bin/sh
# Puts the shards that there are together: merged/result.json is what `assay report` and `assay triage` read.
set -e
@PROGRAM@ merge @FOLDER@/shard-* --output @FOLDER@/merged
@REPORT@
)TEXT";

/// All shards on one machine.
inline constexpr char local[] = R"TEXT(#!/bin/bash
# Start this: all shards on this machine, so many at a time, then the merge. Run again, it goes on. SIGTERM lets
# the shards that run finish their batch.
stopped= failed=0 pids=
trap 'stopped=yes; kill -TERM $(jobs -p) 2>/dev/null' TERM INT
for k in $(seq 1 @SHARDS@); do
  while [ "$(jobs -rp | wc -l)" -ge @AT-ONCE@ ]; do wait -n; done
  [ -z "$stopped" ] || break
  @FOLDER@/shard.sh "$k" &
  pids="$pids $!"
done
# Each by its number: the shell keeps the exit codes of those that ended long ago.
for pid in $pids; do wait "$pid" || failed=$?; done
# SIGTERM ends a wait, not the shard.
while [ -n "$(jobs -rp)" ]; do wait; done
[ -z "$stopped" ] || exit 0
[ $failed -eq 0 ] || exit $failed
exec @FOLDER@/merge.sh
)TEXT";

/// The same by GNU parallel, which passes SIGTERM on and waits ten minutes.
inline constexpr char parallel[] = R"TEXT(#!/bin/sh
# Start this: all shards by GNU parallel, which may be given other machines (parallel(1), --sshlogin), then the merge.
set -e
seq 1 @SHARDS@ | parallel -q --jobs @AT-ONCE@ --termseq TERM,600000,KILL,25 --joblog @FOLDER@/joblog @FOLDER@/shard.sh {}
exec @FOLDER@/merge.sh
)TEXT";

/// Slurm tells the batch script alone of the coming end (B:), and starts it again after a requeue.
inline constexpr char slurmShards[] = R"TEXT(#!/bin/bash
#SBATCH --job-name=@NAME@
#SBATCH --array=1-@SHARDS@@ARRAY-LIMIT@
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --signal=B:TERM@120@SLURM-TIME@
#SBATCH --open-mode=append
#SBATCH --output="@SBATCH-FOLDER@/%x-%a.log"
# A shard that its time ran out for is put back into the queue, and goes on where it was.
@FOLDER@/shard.sh "$SLURM_ARRAY_TASK_ID" &
child=$! stopped=
trap 'stopped=yes; kill -TERM $child' TERM
wait $child
code=$?
while kill -0 $child 2>/dev/null; do
  wait $child
  code=$?
done
if [ -n "$stopped" ] && [ $code -eq 0 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit $code
)TEXT";

/// The merge as a job.
inline constexpr char slurmMerge[] = R"TEXT(#!/bin/bash
#SBATCH --job-name=@NAME@-merge
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="@SBATCH-FOLDER@/%x.log"
exec @FOLDER@/merge.sh
)TEXT";

/// The merge waits for all shards, whichever way they end.
inline constexpr char slurmSubmit[] = R"TEXT(#!/bin/sh
# Start this: submits the shards as an array, and the merge after them. Prints the two job numbers.
set -e
shards=$(sbatch --parsable @FOLDER@/shards.sbatch)
shards=${shards%%;*}
merge=$(sbatch --parsable --dependency="afterany:$shards" @FOLDER@/merge.sbatch)
echo "$shards ${merge%%;*}"
)TEXT";

/// A job a shard, and one for the merge.
inline constexpr char gitlab[] =
    R"TEXT(# To be included from .gitlab-ci.yml (include: local). The runner has `assay` on its path.
@NAME@-shard:
  stage: test
  parallel: @SHARDS@@GITLAB-TIME@
  script:
    - |
      @PROGRAM@ fuzz @ARGUMENTS@ --quiet --shard "$CI_NODE_INDEX/$CI_NODE_TOTAL" --output "@FOLDER@/shard-$CI_NODE_INDEX" || @UNLESS-WELL@
  artifacts:
    when: always
    paths:
      - @FOLDER@/
@NAME@-merge:
  stage: deploy
  when: always
  needs:
    - job: @NAME@-shard
      artifacts: true
  script:
    - |
      @PROGRAM@ merge @FOLDER@/shard-* --output @FOLDER@/merged
    - |
      @REPORT@
  artifacts:
    when: always
    paths:
      - @FOLDER@/merged/
      - @FOLDER@/html/
)TEXT";

/// A matrix of shards, and a job for the merge.
inline constexpr char github[] =
    R"TEXT(# A file of .github/workflows. The runner has `assay` on its path.
name: @NAME@
on:
  workflow_dispatch:
  schedule:
    - cron: '17 1 * * *'
jobs:
  shard:
    runs-on: [self-hosted, assay]@GITHUB-TIME@
    strategy:
      fail-fast: false@MAX-PARALLEL@
      matrix:
        shard: [@LIST@]
    steps:
      - name: Fuzz
        run: |
          @PROGRAM@ fuzz @ARGUMENTS@ --quiet --shard "${{ matrix.shard }}/@SHARDS@" --output "@FOLDER@/shard-${{ matrix.shard }}" || @UNLESS-WELL@
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: shard-${{ matrix.shard }}
          path: @FOLDER@/
  merge:
    needs: shard
    if: always()
    runs-on: [self-hosted, assay]
    steps:
      - uses: actions/download-artifact@v4
        with:
          pattern: shard-*
          path: @FOLDER@
          merge-multiple: true
      - name: Merge
        run: |
          @PROGRAM@ merge @FOLDER@/shard-* --output @FOLDER@/merged
          @REPORT@
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: @NAME@
          path: |
            @FOLDER@/merged/
            @FOLDER@/html/
)TEXT";

} // namespace assay::planText
