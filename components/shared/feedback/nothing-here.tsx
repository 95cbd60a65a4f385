import { Button } from '@/components/ui/button'
import { withBasePath } from '@/lib/base-path'
import { EmptyState } from './empty-state'

/** Shown for missing pages and for pages whose existence the user may not know. */
export const NothingHere = () => (
  <div className="mx-auto max-w-xl py-16">
    <EmptyState
      title="Not found"
      action={
        <Button asChild>
          {/* a plain link, so that the whole page loads again */}
          <a href={withBasePath('/')}>Go to the home page</a>
        </Button>
      }
    >
      It does not exist, was deleted, or belongs to a workspace you are not a member of.
    </EmptyState>
  </div>
)
