'use client'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Folder } from 'lucide-react'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { MOST_NAMESPACES, namespacesQuery } from '@/lib/queries/store'
import { namespaceText } from './store-place'

type Props = {
  place: DeploymentPlace
  current: readonly string[]
  onOpen: (namespace: readonly string[]) => void
}

/** Namespaces as a tree that loads each level when it is opened. */
export const NamespaceTree = (props: Props) => (
  <nav aria-label="Namespaces" className="max-h-40 overflow-auto rounded-lg border bg-panel p-1.5 md:max-h-[28rem]">
    <Entry {...props} namespace={ROOT} label="All namespaces" />
    <Level {...props} prefix={ROOT} />
  </nav>
)

const ROOT: readonly string[] = []

function Level({ prefix, ...props }: Props & { prefix: readonly string[] }) {
  const { workspace, deploymentId } = props.place
  const { data, error, refetch } = useQuery(namespacesQuery(workspace, deploymentId, prefix))
  if (error && !data) return <ErrorNotice error={error.view} onRetry={() => void refetch()} className="m-1" />
  if (!data) return <Skeleton className="m-2 h-4 w-32" />
  // Servers may return the prefix itself, and duplicates if they do not limit the depth.
  const labels = [...new Set(data.namespaces.flatMap((one) => one[prefix.length] ?? []))].sort()
  return (
    <ul className={cn(prefix.length > 0 && 'ml-3 border-l pl-1')}>
      {labels.map((label) => (
        <Branch key={label} {...props} namespace={[...prefix, label]} label={label} />
      ))}
      {data.namespaces.length >= MOST_NAMESPACES ? (
        <li className="px-2 py-1 text-ink-3 text-xs">Only the first {MOST_NAMESPACES} are shown.</li>
      ) : null}
    </ul>
  )
}

function Branch({ namespace, label, ...props }: Props & { namespace: string[]; label: string }) {
  const { current } = props
  const isAbove = namespace.every((part, at) => current[at] === part)
  const [isOpen, setOpen] = useState(isAbove && current.length > namespace.length)
  return (
    <li>
      <div className="flex items-center">
        <Button
          size="icon"
          variant="ghost"
          className="size-5"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${label}`}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={cn('transition-transform', isOpen && 'rotate-90')} />
        </Button>
        <Entry {...props} namespace={namespace} label={label} />
      </div>
      {isOpen ? <Level {...props} prefix={namespace} /> : null}
    </li>
  )
}

const Entry = ({ namespace, label, current, onOpen }: Props & { namespace: readonly string[]; label: string }) => (
  <button
    type="button"
    title={namespaceText(namespace)}
    aria-current={namespaceText(namespace) === namespaceText(current) ? 'true' : undefined}
    onClick={() => onOpen(namespace)}
    className="flex h-7 min-w-0 flex-1 items-center gap-1.5 rounded-md px-1.5 text-left text-sm hover:bg-hover aria-[current=true]:bg-accent-soft aria-[current=true]:font-medium"
  >
    <Folder aria-hidden className="size-3.5 shrink-0 text-ink-3" />
    <span className="truncate">
      <VisibleText>{label}</VisibleText>
    </span>
  </button>
)
