import { z } from 'zod'
import { queryInt } from '../wire/fields'
import { RepositoryUrl } from './deployments'

/** An installation of the platform's GitHub App. Its `id` is a deployment's `integration_id`. */
export const GithubIntegration = z.object({
  id: z.string(),
  installation_id: z.union([z.number(), z.string()]).nullish(),
  name: z.string().nullish(),
})
export type GithubIntegration = z.output<typeof GithubIntegration>

/** `url` becomes a deployment's `repo_url`; `default_branch` is the suggested `repo_ref`. */
export const GithubRepository = z.object({
  host_integration_id: z.string().nullish(),
  id: z.union([z.number(), z.string()]).nullish(),
  name: z.string(),
  owner: z.string().nullish(),
  url: z.string(),
  default_branch: z.string().nullish(),
})
export type GithubRepository = z.output<typeof GithubRepository>

/** The source of a deployment that is still to be created. */
export const InspectRepositoryQuery = z.strictObject({
  repo_url: RepositoryUrl,
  repo_ref: z.string().min(1),
  graph_config_path: z.string().min(1),
})
/** What a repository says about itself. `env_example` has the names in its example env file, never the values. */
export const RepositoryInspection = z.object({
  commit: z.string(),
  /** Where the file was found, which may have another usual name than the one asked for. */
  graph_config_path: z.string(),
  graphs: z.array(z.string()),
  env_example: z
    .object({
      path: z.string(),
      variables: z.array(z.object({ name: z.string(), is_optional: z.boolean() })),
    })
    .nullable(),
})
export type RepositoryInspection = z.output<typeof RepositoryInspection>

export const ListRefsQuery = z.strictObject({ repo_url: RepositoryUrl })
/** Names without `refs/heads/` and `refs/tags/`, the default branch and newest version first. Long lists are cut. */
export const RepositoryRefs = z.object({
  branches: z.array(z.string()),
  tags: z.array(z.string()),
  is_complete: z.boolean(),
})
export type RepositoryRefs = z.output<typeof RepositoryRefs>

// The newer, paged lists. Additional fields of their items are not documented.

export const ListInstallationsQuery = z.strictObject({
  page_size: queryInt(1, 100).default(20),
  /** `next_cursor` of the previous page, unchanged. */
  cursor: z.string().optional(),
})
export const InstallationsPage = z.object({ items: z.array(GithubIntegration), next_cursor: z.string().nullish() })
export const InstallationRepositoriesPage = z.object({
  items: z.array(GithubRepository),
  next_cursor: z.string().nullish(),
})
/** Where a user installs the GitHub App, or connects an existing installation. */
export const InstallationLink = z.object({ install_url: z.string(), oauth_reuse_url: z.string().nullish() })
