import { NothingHere } from '@/components/shared/feedback/nothing-here'

export default function NotFound() {
  return (
    <main>
      <NothingHere />
    </main>
  )
}
