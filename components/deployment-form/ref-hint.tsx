import { VisibleText } from '@/components/shared/text/visible-text'
import { isTagRef } from '@/lib/contracts/deployments/deployment-rules'

/** What a ref names: servers take a bare one for a branch, always. */
export function RefHint({ value }: { value: string }) {
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
          This is the branch <Code>{ref.replace(/^refs\/heads\//, '')}</Code>.{' '}
        </>
      )}
      A bare name is always a branch, also where a tag is named so; a tag is written <code>refs/tags/v1.2</code>.
    </>
  )
}

const Code = ({ children }: { children: string }) => (
  <code className="break-all font-mono text-ink-2">
    <VisibleText>{children}</VisibleText>
  </code>
)

/** Why nothing is built on a push, where that is so. */
export const pushReason = (ref: string): string | undefined =>
  isTagRef(ref.trim()) ? 'A tag never moves, so there is no push to build on.' : undefined
