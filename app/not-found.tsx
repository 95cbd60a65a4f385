import { NothingHere } from '@/components/shared/nothing-here'

export default function NotFound() {
  return (
    <main>
      <NothingHere />
    </main>
  )
}
