import { useSearchParams } from 'next/navigation'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import type { LogView } from './log-viewer'

/** How a log is shown, kept in the URL. `wraps`: whether long lines are wrapped unless the URL says otherwise. */
export function useLogView({ wraps }: { wraps: boolean }) {
  const search = useSearchParams()
  const set = useSetSearch({ isLocal: true })
  const wrap = search.get('wrap')
  const view: LogView = {
    level: search.get('level') ?? '',
    query: search.get('q') ?? '',
    isWrapped: wrap === null ? wraps : wrap === '1',
    hasTimes: search.get('times') !== '0',
  }
  const change = ({ level, query, isWrapped, hasTimes }: Partial<LogView>) => ({
    ...(level !== undefined && { level }),
    ...(query !== undefined && { q: query }),
    ...(isWrapped !== undefined && { wrap: isWrapped === wraps ? '' : isWrapped ? '1' : '0' }),
    ...(hasTimes !== undefined && { times: hasTimes ? '' : '0' }),
  })
  return { search, set, view, change }
}
