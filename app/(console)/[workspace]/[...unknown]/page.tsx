import { notFound } from 'next/navigation'

/** Catches unknown addresses below a workspace, so that the error keeps the navigation around it. */
export default function Page(): never {
  notFound()
}
