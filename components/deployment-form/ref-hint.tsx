import { VisibleText } from '@/components/shared/text/visible-text'
import { isTagRef } from '@/lib/contracts/deployments/deployment-rules'

/** Says what a ref means. Servers always read a bare name as a branch. */
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
