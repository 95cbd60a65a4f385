'use client'
import { useQuery } from '@tanstack/react-query'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useServerClock } from '@/components/runs/view/server-clock'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { conversationBox } from '@/components/ui/styles'
import { withBasePath } from '@/lib/base-path'
import { cn } from '@/lib/cn'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { pickableAssistants } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { ChatThread } from './chat-thread'
import type { ThreadViews } from './chat-views'
import { ThreadsRail } from './threads-rail'

type Props = DeploymentPlace & {
  /** The page that shows it, which decides where its threads are found. */
  base: 'chat' | 'threads'
  views: ThreadViews
  serverNow: number
}

/**
 * Threads, a conversation and what its runs do, side by side. The URL names the thread; it changes without a request, so
 * that a new conversation keeps its field and its stream.
 */
export function ChatScreen({ workspace, deploymentId, base, views, serverNow }: Props) {
  useServerClock(serverNow)
  const router = useRouter()
  const path = usePathname()
  const hrefOf = (id: string) =>
    base === 'chat' ? routes.chat(workspace, deploymentId, id) : routes.thread(workspace, deploymentId, id)
  const root = base === 'chat' ? routes.chat(workspace, deploymentId) : routes.threads(workspace, deploymentId)
  const inPath = threadIn(path, root)
  const [session, setSession] = useState({ key: 0, thread: inPath, path: inPath })
  if (session.path !== inPath)
    setSession(
      inPath === session.thread ? { ...session, path: inPath } : { key: session.key + 1, thread: inPath, path: inPath },
    )
  const { isInspected, inspect } = useInspector()
  const [isRailOpen, setRailOpen] = useState(false)

  const onThread = useCallback(
    (thread: string) => {
      setSession((now) => ({ ...now, thread }))
      window.history.replaceState(null, '', withBasePath(routes.chat(workspace, deploymentId, thread)))
    },
    [workspace, deploymentId],
  )
  const choose = (id: string) => {
    setRailOpen(false)
    inspect(isInspected)
    window.history.pushState(null, '', withBasePath(hrefOf(id)))
  }
  const begin = () => {
    setRailOpen(false)
    if (base !== 'chat') return router.push(routes.chat(workspace, deploymentId))
    if (inPath === undefined && named) return window.history.pushState(null, '', withBasePath(root))
    if (inPath === undefined) return setSession({ key: session.key + 1, thread: undefined, path: undefined })
    window.history.pushState(null, '', withBasePath(root))
  }
  const place = useMemo(() => ({ workspace, deploymentId }), [workspace, deploymentId])
  const setSearch = useSetSearch({ isLocal: true })
  const named = useSearchParams().get('side')
  const list = useQuery(pickableAssistants(workspace, deploymentId))
  /** An assistant and the next one. */
  const compare = (assistant: string) => {
    const other = list.data?.find(({ assistant_id: id }) => id !== assistant)?.assistant_id ?? assistant
    setSearch({ side: [assistant, other].map(encodeURIComponent).join(','), assistant: '' })
  }
  const rail = (
    <ThreadsRail
      place={place}
      thread={session.thread}
      hrefOf={hrefOf}
      onChoose={choose}
      onNew={begin}
      told={list.data ? undefined : list.error?.view.message}
    />
  )
  return (
    <div className={cn(conversationBox, 'relative')}>
      <div className="hidden md:flex">{rail}</div>
      {isRailOpen ? (
        <div className="fixed inset-0 z-40 flex bg-ink/30 md:hidden">
          {rail}
          <button type="button" aria-label="Close threads" className="flex-1" onClick={() => setRailOpen(false)} />
        </div>
      ) : null}
      {named && inPath === undefined && base === 'chat' ? (
        <views.Side {...{ place, named, serverNow }} onRail={() => setRailOpen(true)} Context={views.Context} />
      ) : (
        <ChatThread
          key={session.key}
          place={place}
          thread={session.thread}
          onThread={onThread}
          views={views}
          serverNow={serverNow}
          isInspected={isInspected}
          onInspect={() => inspect(!isInspected)}
          onSideBySide={compare}
          onRail={() => setRailOpen(true)}
        />
      )}
    </div>
  )
}

const KEY = 'pilothouse.inspector'
/** Where it is beside the conversation, not over it. */
const BESIDE = '(width >= 64rem)'

/**
 * Whether the inspector is open: as it was left in this browser, if there is room for it, and whenever the URL names
 * something in it.
 */
function useInspector() {
  const search = useSearchParams()
  const named = ['tab', 'lens', 'at'].map((name) => search.get(name) ?? '').join(' ')
  const [state, setState] = useState<{ isOpen: boolean; named: string }>()
  useEffect(() => {
    try {
      if (localStorage.getItem(KEY) === 'open' && window.matchMedia(BESIDE).matches)
        setState((now) => now ?? { isOpen: true, named: '' })
    } catch {
      // Storage is disabled: it starts closed.
    }
  }, [])
  const isNamed = named.trim() !== '' && named !== state?.named
  const inspect = (isOpen: boolean) => {
    setState({ isOpen, named })
    try {
      localStorage.setItem(KEY, isOpen ? 'open' : 'closed')
    } catch {
      // As above.
    }
  }
  return { isInspected: isNamed || (state?.isOpen ?? false), inspect }
}

/** The thread that a path below `root` names. */
function threadIn(path: string, root: string): string | undefined {
  if (!path.startsWith(`${root}/`)) return undefined
  const part = path.slice(root.length + 1).split('/')[0] ?? ''
  try {
    return decodeURIComponent(part) || undefined
  } catch {
    return part
  }
}
