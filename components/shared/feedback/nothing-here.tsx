import { Button } from '@/components/ui/button'
import { EmptyState } from './empty-state'

/** What a missing page, and one that its reader may not know of, look like: the same. */
export const NothingHere = () => (
  <div className="mx-auto max-w-xl py-16">
    <EmptyState
      title="There is nothing here"
      action={
        <Button asChild>
          {/* a plain link: whoever is lost starts from a whole page */}
          <a href="/">Go to the first page</a>
        </Button>
      }
    >
      What you asked for does not exist, was deleted, or is in a workspace that you are not a member of.
    </EmptyState>
  </div>
)
