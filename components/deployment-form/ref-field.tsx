'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useDebounced } from '@/components/shared/form/use-debounced'
import { VisibleText } from '@/components/shared/text/visible-text'
import { isTagRef } from '@/lib/contracts/deployments/deployment-rules'
import type { RepositoryRefs } from '@/lib/contracts/deployments/integrations'
import { count } from '@/lib/format/format'
import { refsQuery } from '@/lib/queries/deployments'
import { TextField } from './text-field'

type RefFieldProps = {
  id: string
  workspace: string
  integration: string
  repository: string
  value: string
  error: string | undefined
  /** Follows the hint. */
  children?: ReactNode
  onChange: (ref: string) => void
}

/** A branch or tag: typed, or chosen from those of the repository where the control plane can list them. */
export function RefField(props: RefFieldProps) {
  const { id, workspace, integration, repository, value, error, children, onChange } = props
  const url = useDebounced(repository.trim(), 700)
  const { data: refs } = useQuery({
    ...refsQuery(workspace, integration, url),
    enabled: Boolean(integration && url),
    retry: false,
    staleTime: 60_000,
  })
  return (
    <>
      <TextField
        id={id}
        label="Branch or tag"
        className="sm:col-span-2"
        placeholder={refs?.branches[0] ?? 'main'}
        value={value}
        error={error}
        list={`${id}s`}
        hint={
          <>
            {refs && !hasRef(refs, value) ? <Unknown refs={refs} value={value} /> : <RefHint value={value} />}{' '}
            {children}
          </>
        }
        onChange={onChange}
      />
      <datalist id={`${id}s`}>
        {refs?.branches.map((name) => (
          <option key={name} value={name} />
        ))}
        {refs?.tags.map((name) => (
          <option key={name} value={`refs/tags/${name}`} label={`Tag ${name}`} />
        ))}
      </datalist>
    </>
  )
}

/** True too where the list is cut or nothing is entered. */
function hasRef({ branches, tags, is_complete }: RepositoryRefs, value: string): boolean {
  const ref = value.trim()
  if (ref === '' || !is_complete) return true
  return isTagRef(ref) ? tags.includes(ref.slice('refs/tags/'.length)) : branches.includes(branchOf(ref))
}

const branchOf = (ref: string) => ref.trim().replace(/^refs\/heads\//, '')

function Unknown({ refs: { branches, tags }, value }: { refs: RepositoryRefs; value: string }) {
  const isTag = isTagRef(value.trim())
  return (
    <span className="text-error">
      The repository has no {isTag ? 'tag' : 'branch'}{' '}
      <Code>{isTag ? value.trim().slice('refs/tags/'.length) : branchOf(value)}</Code>. It has {count(branches.length)}{' '}
      {branches.length === 1 ? 'branch' : 'branches'} and {count(tags.length)} {tags.length === 1 ? 'tag' : 'tags'}.
    </span>
  )
}

/** Says what a ref means. Servers always read a bare name as a branch. */
function RefHint({ value }: { value: string }) {
  const ref = value.trim()
  const tag = ref.slice('refs/tags/'.length)
  return (
    <>
      {ref === '' ? null : isTagRef(ref) ? (
        <>
          This is the tag <Code>{tag}</Code>.{' '}
        </>
      ) : (
        <>
          This is the branch <Code>{branchOf(ref)}</Code>.{' '}
        </>
      )}
      A bare name is always a branch. For a tag, enter <code>refs/tags/v1.2</code>.
    </>
  )
}

const Code = ({ children }: { children: string }) => (
  <code className="break-all font-mono text-ink-2">
    <VisibleText>{children}</VisibleText>
  </code>
)

/** Why build on push is off; undefined if it can be on. */
export const pushReason = (ref: string): string | undefined =>
  isTagRef(ref.trim()) ? 'Not available for tags.' : undefined
