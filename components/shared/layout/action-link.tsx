import type { Route } from 'next'
import Link from 'next/link'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from '@/components/ui/button'

type Props = Pick<ComponentProps<typeof Button>, 'variant' | 'size' | 'className' | 'reason'> & {
  href: Route
  children: ReactNode
}

/** A link that looks like a button. With a `reason` it is a disabled button that explains why. */
export const ActionLink = ({ href, reason, children, ...style }: Props) =>
  reason ? (
    <Button reason={reason} {...style}>
      {children}
    </Button>
  ) : (
    <Button asChild {...style}>
      <Link href={href}>{children}</Link>
    </Button>
  )
