'use client'
import Link from 'next/link'
import { type ComponentProps, useState } from 'react'

/**
 * A link that is on every page. It prefetches only on hover or focus, because dozens of prefetches per page delay the page
 * itself.
 */
export function NearLink(props: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false)
  const near = () => setNear(true)
  return <Link prefetch={isNear ? null : false} onPointerEnter={near} onFocus={near} {...props} />
}
