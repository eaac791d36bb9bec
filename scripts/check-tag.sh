#!/usr/bin/env bash
# Fails unless the release's tag ($GITHUB_REF_NAME), the commit that started this workflow ($GITHUB_SHA) and the checkout
# are the same commit. A tag can be moved after the tests started, and a release names a tag, not a commit.
set -euo pipefail

tested=$(git rev-parse --verify "$GITHUB_SHA^{commit}")
checked_out=$(git rev-parse --verify HEAD)
tagged=$(gh api "repos/$GITHUB_REPOSITORY/commits/tags/$GITHUB_REF_NAME" --jq .sha)
if [ "$checked_out" != "$tested" ]; then
  echo "::error::the checkout is $checked_out, but this workflow was started for $tested: nothing is published"
  exit 1
fi
if [ "$tagged" != "$tested" ]; then
  echo "::error::the tag $GITHUB_REF_NAME now names $tagged, but this workflow was started for $tested: nothing is published. Delete the tag, find out who moved it, and tag again"
  exit 1
fi
echo "$GITHUB_REF_NAME is $tested"
