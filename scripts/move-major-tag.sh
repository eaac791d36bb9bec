#!/usr/bin/env bash
# Moves the tag of the major version (v1) to the release that is checked out ($GITHUB_REF_NAME, v1.2.3).
# `uses: org/server-bench@v1` gets what that tag names. A release of an older line (v1.1.4 after v1.2.0) moves nothing.
set -euo pipefail

tag=$GITHUB_REF_NAME
major=${tag%%.*}
sha=$(git rev-parse HEAD)
newest=$(git tag --list "$major.*" --sort=-version:refname | grep --extended-regexp '^v[0-9]+\.[0-9]+\.[0-9]+$' | sed -n 1p)
if [ "$newest" != "$tag" ]; then
  echo "$major stays: $newest is newer than $tag"
  exit 0
fi

refs=repos/$GITHUB_REPOSITORY/git/refs
if gh api "repos/$GITHUB_REPOSITORY/git/ref/tags/$major" > /dev/null 2>&1; then
  request=(--method PATCH "$refs/tags/$major" -f "sha=$sha" -F force=true)
else
  request=(--method POST "$refs" -f "ref=refs/tags/$major" -f "sha=$sha")
fi
if gh api "${request[@]}" > /dev/null; then
  echo "$major is $tag, $sha"
else
  echo "::error::$major does not point at $tag yet. The secret RELEASE_TOKEN needs contents and workflows: write; or run: git push --force origin $sha:refs/tags/$major"
  exit 1
fi
