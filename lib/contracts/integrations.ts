import { z } from 'zod'

/** An installation of the platform's GitHub App. Its `id` is a deployment's `integration_id`. */
export const GithubIntegration = z.object({
  id: z.string(),
  installation_id: z.union([z.number(), z.string()]).nullish(),
  name: z.string().nullish(),
})
export type GithubIntegration = z.output<typeof GithubIntegration>

/** `url` is a deployment's `repo_url`, `default_branch` a good first `repo_ref`. */
export const GithubRepository = z.object({
  host_integration_id: z.string().nullish(),
  id: z.union([z.number(), z.string()]).nullish(),
  name: z.string(),
  owner: z.string().nullish(),
  url: z.string(),
  default_branch: z.string().nullish(),
})
export type GithubRepository = z.output<typeof GithubRepository>
