'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Checkbox } from '@/components/ui/checkbox'
import { describedBy, Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { DEPLOYMENT_TYPES } from '@/lib/contracts/deployments/deployment-rules'
import { integrationsQuery, repositoriesQuery } from '@/lib/queries/deployments'
import { ConfigHint } from './config-hint'
import type { SectionProps } from './create-values'
import { pushReason, RefField } from './ref-field'
import { Section, TextField } from './text-field'

const OTHER = 'another URL'
const TYPES = { dev_free: 'Development, free', dev: 'Development', prod: 'Production' }

/** The repository and how it is built. */
export function GithubSections(props: SectionProps) {
  const { workspace, values, issues, change } = props
  const noPush = pushReason(values.ref)
  return (
    <>
      <Section title="Repository">
        <IntegrationField {...props} />
        <RepositoryField key={values.integration} {...props} />
        <RefField
          id="create-ref"
          workspace={workspace}
          integration={values.integration}
          repository={values.repository}
          value={values.ref}
          error={issues.ref}
          onChange={(ref) => change({ ref })}
        />
        <TextField
          id="create-config"
          label="Graph config"
          placeholder="graph.json"
          value={values.configPath}
          error={issues.configPath}
          hint={<ConfigHint workspace={workspace} values={values} />}
          onChange={(configPath) => change({ configPath })}
        />
        <div className="self-center">
          <Checkbox
            label="Build on push"
            hint={noPush ?? 'Each push to the branch creates a revision.'}
            checked={values.buildOnPush && noPush === undefined}
            disabled={noPush !== undefined}
            onChange={(event) => change({ buildOnPush: event.target.checked })}
          />
          {issues.buildOnPush ? (
            <p role="alert" className="text-error text-xs">
              {issues.buildOnPush}
            </p>
          ) : null}
        </div>
      </Section>
      <Section title="Build">
        <Field
          id="create-type"
          label="Type"
          hint="Sets resources and whether it may be interrupted. Cannot be changed later."
          error={issues.type}
          className="sm:col-span-2"
        >
          <Select
            id="create-type"
            value={values.type}
            onChange={(event) => change({ type: DEPLOYMENT_TYPES.find((one) => one === event.target.value) ?? 'dev' })}
            {...describedBy('create-type', issues.type)}
          >
            {DEPLOYMENT_TYPES.map((type) => (
              <option key={type} value={type}>
                {TYPES[type]} ({type})
              </option>
            ))}
          </Select>
        </Field>
        <TextField
          id="create-install"
          label="Install command"
          placeholder="npm ci"
          className="[&_input]:font-mono"
          value={values.installCommand}
          error={issues.installCommand}
          hint="Optional. A single command line; && is allowed."
          onChange={(installCommand) => change({ installCommand })}
        />
        <TextField
          id="create-build"
          label="Build command"
          placeholder="npm run build"
          className="[&_input]:font-mono"
          value={values.buildCommand}
          error={issues.buildCommand}
          hint="Optional. Runs after the install command."
          onChange={(buildCommand) => change({ buildCommand })}
        />
      </Section>
    </>
  )
}

function IntegrationField({ workspace, values, issues, change }: SectionProps) {
  const list = useQuery(integrationsQuery(workspace))
  const label = 'Integration'
  const only = list.data?.length === 1 ? list.data[0]?.id : undefined
  useEffect(() => {
    if (only && values.integration === '') change({ integration: only })
  }, [only, values.integration, change])
  if (list.error || list.data?.length === 0)
    return (
      <div className="flex flex-col gap-2">
        <TextField
          id="create-integration"
          label="Integration ID"
          value={values.integration}
          error={issues.integration}
          hint={
            list.error
              ? 'Integrations could not be loaded. Enter the ID.'
              : 'No integrations yet. Install one on the control plane, or enter its ID.'
          }
          onChange={(integration) => change({ integration })}
        />
        {list.error ? <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} /> : null}
      </div>
    )
  return (
    <Field id="create-integration" label={label} hint="Gives access to repositories." error={issues.integration}>
      <Select
        id="create-integration"
        value={values.integration}
        onChange={(event) => change({ integration: event.target.value, repository: '' })}
        {...describedBy('create-integration', issues.integration)}
      >
        <option value="">{list.data ? 'Choose…' : 'Loading…'}</option>
        {list.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name ?? id}
          </option>
        ))}
      </Select>
    </Field>
  )
}

function RepositoryField({ workspace, values, issues, change }: SectionProps) {
  const list = useQuery({
    ...repositoriesQuery(workspace, values.integration),
    enabled: values.integration !== '',
    retry: 1,
  })
  const isListed = list.data?.some(({ url }) => url === values.repository) ?? false
  const [isTyped, setTyped] = useState(false)
  // Shown while the list loads, so that the field does not change a moment later.
  const hasList = list.isLoading || (list.data?.length ?? 0) > 0
  const isFree = isTyped || (values.repository !== '' && !isListed && !list.isPending)
  const choose = (url: string) => {
    setTyped(url === OTHER)
    if (url === OTHER) return change({ repository: '' })
    const found = list.data?.find((one) => one.url === url)
    const wasDefault = values.ref === '' || list.data?.some((one) => one.default_branch === values.ref)
    change({ repository: url, ...(wasDefault && { ref: found?.default_branch ?? '' }) })
  }
  return (
    <div className="flex flex-col gap-2">
      {hasList ? (
        <Field
          id="create-repository"
          label="Repository"
          error={isFree ? undefined : issues.repository}
          hint="Repositories that the integration can access."
        >
          <Select
            id="create-repository"
            value={isFree ? OTHER : values.repository}
            onChange={(event) => choose(event.target.value)}
            {...describedBy('create-repository', isFree ? undefined : issues.repository)}
          >
            <option value="">{list.isLoading ? 'Loading…' : 'Choose…'}</option>
            {list.data?.map(({ url, owner, name }) => (
              <option key={url} value={url}>
                {owner ? `${owner}/${name}` : name}
              </option>
            ))}
            <option value={OTHER}>Another URL…</option>
          </Select>
        </Field>
      ) : null}
      {!hasList || isFree ? (
        <TextField
          id="create-repository-url"
          label="Repository URL"
          placeholder="https://github.com/owner/name"
          value={values.repository}
          error={issues.repository}
          hint={
            list.error
              ? 'Repositories could not be loaded. Enter the URL.'
              : hasList || values.integration === ''
                ? undefined
                : 'The integration has no repositories. Enter the URL.'
          }
          onChange={(repository) => change({ repository })}
        />
      ) : null}
    </div>
  )
}
