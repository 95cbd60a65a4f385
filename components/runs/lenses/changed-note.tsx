import { VisibleText } from '@/components/shared/text/visible-text'
import { type ChangedKeys, hasChanges } from './changed-keys'

const MOST_NAMED = 8

/** Names the keys that the last step changed; the tree highlights the same lines. */
export function ChangedNote({ found }: { found: ChangedKeys }) {
  const { changed, added, removed } = found
  const parts = [
    ['changed', changed],
    ['added', added],
    ['removed', removed],
  ] as const
  return (
    <span>
      {hasChanges(found) ? 'The last step ' : 'The last step changed nothing.'}
      {parts
        .filter(([, keys]) => keys.length > 0)
        .map(([word, keys], index) => (
          <span key={word}>
            {index > 0 ? '; ' : ''}
            {word}{' '}
            <code className="font-mono text-ink-2">
              <VisibleText>{keys.slice(0, MOST_NAMED).join(', ')}</VisibleText>
            </code>
            {keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : ''}
          </span>
        ))}
    </span>
  )
}
