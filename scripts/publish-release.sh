#!/usr/bin/env bash
# Publishes the release of the tag $GITHUB_REF_NAME:
#   scripts/publish-release.sh NOTES FILE...
# A published release can be immutable: GitHub then refuses further files. So the files are attached before it is published.
# It can be run again: a draft that an earlier attempt left is completed, and a published release gets its notes anew.
set -euo pipefail

notes=$1
shift
tag=$GITHUB_REF_NAME
draft=$(gh release view "$tag" --json isDraft --jq .isDraft 2> /dev/null || echo missing)
case $draft in
  missing)
    # gh makes a draft, attaches the files and then publishes it.
    gh release create "$tag" "$@" --verify-tag --title "$tag" --notes-file "$notes"
    ;;
  true)
    gh release upload "$tag" "$@" --clobber
    gh release edit "$tag" --verify-tag --title "$tag" --notes-file "$notes" --draft=false
    ;;
  *)
    gh release edit "$tag" --verify-tag --title "$tag" --notes-file "$notes"
    ;;
esac
