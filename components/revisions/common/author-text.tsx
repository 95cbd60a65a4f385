import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'

/** Who wrote a commit, and when. */
export const AuthorText = ({ commit: { author, authored_at } }: { commit: CommitFacts }) => (
  <>
    <VisibleText>{author}</VisibleText>, <RelativeTime at={authored_at} />
  </>
)
