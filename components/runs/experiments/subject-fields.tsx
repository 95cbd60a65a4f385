'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ContextForm } from '@/components/runs/chat/composer/context-field'
import { AdvancedButton } from '@/components/runs/start/advanced-button'
import type { StartIssue } from '@/components/runs/start/start-issues'
import { countSet } from '@/components/runs/start/start-options'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { assistantVersionsQuery, findAssistant, nameOfAssistant, pickableAssistants } from '@/lib/queries/assistants'
import type { SubjectDraft } from './draft'
import { RevisionField } from './revision-field'
import { SubjectOptions } from './subject-options'

type Props = {
  workspace: string
  index: number
  deployments: readonly Deployment[]
  value: SubjectDraft
  Context: ContextForm
  issues: readonly StartIssue[]
  /** An earlier row has the same deployment, and says why it cannot be read. */
  isRepeated?: boolean
  /** Given as a change of the row as it is then, because what is filled in may come after a choice. */
  onChange: (change: (now: SubjectDraft) => SubjectDraft) => void
  /** Left out if it is the only one. */
  onRemove?: () => void
}

/** Chooses a deployment, an assistant of it, its version and the revision, and how its runs are configured. */
export function SubjectFields(props: Props) {
  const { workspace, index, deployments, value, Context, issues, isRepeated, onChange, onRemove } = props
  const [isOpen, setOpen] = useState(false)
  const { deployment, assistant, version } = value
  const listed = useQuery({ ...pickableAssistants(workspace, deployment), enabled: deployment !== '' })
  // Those of the deployment that was chosen before are none of this one.
  const assistants = listed.isPlaceholderData ? undefined : listed.data
  const found = findAssistant(assistants, assistant)
  const id = found?.assistant_id ?? ''
  const versions = useQuery({
    ...assistantVersionsQuery(workspace, deployment, id, { limit: 50 }),
    enabled: id !== '',
    retry: false,
  }).data
  const firstAssistant = assistants?.[0]?.assistant_id
  useEffect(() => {
    if (found || !firstAssistant) return
    onChange((now) => (now.deployment === deployment ? { ...now, assistant: firstAssistant, version: '' } : now))
  })
  const set = (chosen: Partial<SubjectDraft>) => onChange((now) => ({ ...now, ...chosen }))
  const label = `Column ${index + 1}`
  return (
    <li className="flex flex-wrap items-center gap-2">
      <Select
        aria-label={`${label}: deployment`}
        className="sm:w-40"
        value={deployment}
        onChange={(event) => set({ deployment: event.target.value, assistant: '', version: '', revision: '' })}
      >
        {deployments.length === 0 ? <option value={value.deployment}>Loading…</option> : null}
        {deployments.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`${label}: assistant`}
        className="sm:w-48"
        value={id}
        disabled={!assistants}
        onChange={(event) => set({ assistant: event.target.value, version: '' })}
      >
        {assistants ? null : <option value="">{listed.error ? 'Not available' : 'Loading…'}</option>}
        {assistants?.map((one) => (
          <option key={one.assistant_id} value={one.assistant_id}>
            {nameOfAssistant(one)}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`${label}: version`}
        className="w-36"
        value={version}
        onChange={(event) => set({ version: event.target.value })}
      >
        <option value="">Active version</option>
        {/* Kept while the versions load. */}
        {version && !versions?.some((one) => String(one.version) === version) ? (
          <option value={version}>Version {version}</option>
        ) : null}
        {versions?.map((one) => (
          <option key={one.version} value={String(one.version)}>
            Version {one.version}
          </option>
        ))}
      </Select>
      <RevisionField
        workspace={workspace}
        label={label}
        deployment={deployments.find((one) => one.id === deployment)}
        value={value.revision}
        isRepeated={isRepeated}
        onChange={(revision) => set({ revision })}
      />
      <AdvancedButton
        of={label}
        set={countSet(value) + (value.title.trim() === '' ? 0 : 1)}
        isOpen={isOpen}
        onToggle={() => setOpen(!isOpen)}
      />
      {onRemove ? (
        <Button variant="ghost" size="icon" aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <X aria-hidden />
        </Button>
      ) : null}
      {listed.error && !assistants && !isRepeated ? (
        <ErrorNotice error={listed.error.view} onRetry={() => void listed.refetch()} className="basis-full" />
      ) : null}
      {deployments.length > 0 && listed.isPending && !isRepeated ? <LateNotice className="basis-full" /> : null}
      {isOpen || issues.length > 0 ? (
        <SubjectOptions {...{ workspace, label, assistant: id, value, Context, issues }} onChange={set} />
      ) : null}
    </li>
  )
}
