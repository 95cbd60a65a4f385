import { EmptyState } from '@/components/shared/empty-state'
import { Button } from '@/components/ui/button'

export default function NotFound() {
  return (
    <main className="mx-auto max-w-xl py-24">
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
    </main>
  )
}
