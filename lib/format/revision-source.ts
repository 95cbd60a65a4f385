import { shortId } from './format'

type Built = {
  source_revision_config: {
    repo_commit_sha?: string | null | undefined
    image_uri?: string | null | undefined
    repo_ref?: string | null | undefined
  }
  commit?: { message: string } | null | undefined
}

/** What a revision was built of, in a line: its commit and the first line of its message, or its image. */
export function revisionSource({ source_revision_config: config, commit }: Built): string | undefined {
  const { repo_commit_sha: sha, image_uri: image, repo_ref: ref } = config
  if (!sha) return image ?? ref ?? undefined
  const [message] = commit?.message.split('\n') ?? []
  return message ? `${shortId(sha)} ${message}` : shortId(sha)
}
