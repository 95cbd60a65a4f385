'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Checkbox } from '@/components/ui/checkbox'
import { describedBy, Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { DEPLOYMENT_TYPES } from '@/lib/contracts/deployments/deployment-rules'
import { integrationsQuery, repositoriesQuery } from '@/lib/queries/integrations'
import type { SectionProps } from './create-values'
import { pushReason, RefHint } from './ref-hint'
import { Section, TextField } from './text-field'

const OTHER = 'another address'
const TYPES = { dev_free: 'Development, free', dev: 'Development', prod: 'Production' }

/** Where the code comes from and how it is built. */
export function GithubSections(props: SectionProps) {
  const { values, issues, change } = props
  const noPush = pushReason(values.ref)
  return (
    <>
      <Section title="Repository">
        <IntegrationField {...props} />
        <RepositoryField key={values.integration} {...props} />
        <TextField
          id="create-ref"
          label="Branch or tag"
          className="sm:col-span-2"
          placeholder="main"
          value={values.ref}
          error={issues.ref}
          hint={<RefHint value={values.ref} />}
          onChange={(ref) => change({ ref })}
        />
        <TextField
          id="create-config"
          label="Graph configuration"
          placeholder="graph.json"
          value={values.configPath}
          error={issues.configPath}
          hint="The path of the file in the repository that names its graphs."
          onChange={(configPath) => change({ configPath })}
        />
        <div className="self-center">
          <Checkbox
            label="Build on push"
            hint={noPush ?? 'Each push to the branch makes a new revision.'}
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
          hint="How much it is given, and whether it may be interrupted. It cannot be changed later."
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
          hint="Optional. One command line; && is allowed."
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
  if (list.error || list.data?.length === 0)
    return (
      <div className="flex flex-col gap-2">
        <TextField
          id="create-integration"
          label="Integration id"
          value={values.integration}
          error={issues.integration}
          hint={
            list.error
              ? 'The list could not be had; the id can be given by hand.'
              : 'The server has no integration yet. It is installed there; its id can be given by hand.'
          }
          onChange={(integration) => change({ integration })}
        />
        {list.error ? <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} /> : null}
      </div>
    )
  return (
    <Field id="create-integration" label={label} hint="Whose repositories can be read." error={issues.integration}>
      <Select
        id="create-integration"
        value={values.integration}
        onChange={(event) => change({ integration: event.target.value, repository: '' })}
        {...describedBy('create-integration', issues.integration)}
      >
        <option value="">{list.data ? 'Choose one' : 'Loading …'}</option>
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
  // While it is looked for, so that the field is not another one a moment later.
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
          hint="As far as the integration may see."
        >
          <Select
            id="create-repository"
            value={isFree ? OTHER : values.repository}
            onChange={(event) => choose(event.target.value)}
            {...describedBy('create-repository', isFree ? undefined : issues.repository)}
          >
            <option value="">{list.isLoading ? 'Loading …' : 'Choose one'}</option>
            {list.data?.map(({ url, owner, name }) => (
              <option key={url} value={url}>
                {owner ? `${owner}/${name}` : name}
              </option>
            ))}
            <option value={OTHER}>Another address …</option>
          </Select>
        </Field>
      ) : null}
      {!hasList || isFree ? (
        <TextField
          id="create-repository-url"
          label="Repository address"
          placeholder="https://github.com/owner/name"
          value={values.repository}
          error={issues.repository}
          hint={
            list.error
              ? 'The integration’s list could not be had; give the address by hand.'
              : hasList || values.integration === ''
                ? undefined
                : 'The integration lists none; give the address by hand.'
          }
          onChange={(repository) => change({ repository })}
        />
      ) : null}
    </div>
  )
}
