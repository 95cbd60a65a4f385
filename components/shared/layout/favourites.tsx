'use client'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useTransition } from 'react'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { cn } from '@/lib/cn'
import type { Result } from '@/lib/errors'
import { shownText } from '@/lib/format/hidden-characters'

type Favourites = {
  /** Ids of deployments. */
  ids: readonly string[]
  has: (id: string) => boolean
  toggle: (deployment: { id: string; name: string }) => void
}

const FavouritesContext = createContext<Favourites>({ ids: [], has: () => false, toggle: () => undefined })

type FavouritesProps = {
  workspace: string
  /** As they were when the page was loaded. */
  stored: readonly string[]
  save: (mark: { workspace: string; deployment: string; isFavourite: boolean }) => Promise<Result<string[]>>
  children: ReactNode
}

/** The deployments that the user marked in this workspace. */
export function Favourites({ workspace, stored, save, children }: FavouritesProps) {
  const [ids, setIds] = useState(stored)
  const [, start] = useTransition()
  useEffect(() => setIds(stored), [stored])
  const value = useMemo(
    () => ({
      ids,
      has: (id: string) => ids.includes(id),
      toggle: ({ id, name }: { id: string; name: string }) =>
        start(async () => {
          const isFavourite = !ids.includes(id)
          const result = await save({ workspace, deployment: id, isFavourite }).catch(() => undefined)
          if (!result?.ok) return toast.warning(result?.error.message ?? 'The console did not respond. Try again.')
          setIds(result.data)
          toast.success(`${shownText(name, 60)} is ${isFavourite ? 'a favourite' : 'no longer a favourite'}`)
        }),
    }),
    [ids, workspace, save],
  )
  return <FavouritesContext value={value}>{children}</FavouritesContext>
}

export const useFavourites = (): Favourites => useContext(FavouritesContext)

/** Marks a deployment as a favourite, or removes the mark. */
export function FavouriteStar({ id, name, className }: { id: string; name: string; className?: string }) {
  const { has, toggle } = useFavourites()
  const isFavourite = has(id)
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-pressed={isFavourite}
      aria-label={`Favourite: ${shownText(name, 80)}`}
      title={isFavourite ? 'Remove from favourites' : 'Add to favourites'}
      className={cn('size-6 text-base leading-none', isFavourite ? 'text-warn' : 'text-ink-3', className)}
      onClick={() => toggle({ id, name })}
    >
      {isFavourite ? '★' : '☆'}
    </Button>
  )
}
