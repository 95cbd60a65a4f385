'use client'
import { useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import Link from 'next/link'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import type { AlertState } from '@/lib/contracts/alerts/alerts'
import { alertsQuery } from '@/lib/queries/alerts'
import { routes } from '@/lib/routes'

/** Reads the page's data again after a change. */
export function useReadAgain(workspace: string) {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: alertsQuery(workspace).queryKey })
}

export function PhaseBadge({ phase, isUnknown, checkedAt }: Pick<AlertState, 'phase' | 'isUnknown' | 'checkedAt'>) {
  const title = isUnknown ? `It could not be read at ${checkedAt}. This is the state before.` : undefined
  if (phase === 'firing')
    return (
      <StatusBadge tone={isUnknown ? 'unknown' : 'error'} title={title}>
        Firing{isUnknown ? ', now unknown' : ''}
      </StatusBadge>
    )
  if (isUnknown)
    return (
      <StatusBadge tone="unknown" title={title}>
        Unknown
      </StatusBadge>
    )
  return phase === 'pending' ? (
    <StatusBadge tone="warn">Pending</StatusBadge>
  ) : (
    <StatusBadge tone="ok">Fine</StatusBadge>
  )
}

/** What an alert is about, as a link to the deployment if it is one. */
export const Subject = ({
  workspace,
  name,
  deployment,
}: {
  workspace: string
  name: string
  deployment: string | null
}) =>
  deployment ? (
    <Link href={routes.deployment(workspace, deployment)} className="font-medium hover:underline">
      <VisibleText>{name}</VisibleText>
    </Link>
  ) : (
    <span className="font-medium">{name}</span>
  )

type EditAndDeleteProps = { name: string; reason: string | undefined; onEdit: () => void; onDelete: () => void }

/** The two buttons at the end of a row; `reason` says why they cannot be used. */
export const EditAndDelete = ({ name, reason, onEdit, onDelete }: EditAndDeleteProps) => (
  <>
    <Button variant="ghost" size="icon" reason={reason} aria-label={`Edit ${name}`} onClick={onEdit}>
      <Pencil />
    </Button>
    <Button variant="ghost" size="icon" reason={reason} aria-label={`Delete ${name}`} onClick={onDelete}>
      <Trash2 />
    </Button>
  </>
)
