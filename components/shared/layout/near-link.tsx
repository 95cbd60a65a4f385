'use client'
import Link from 'next/link'
import type { ComponentProps } from 'react'

/**
 * A link that is on every page. It prefetches nothing: all pages are read when they are asked for, so a prefetch would
 * bring none of the next one, and delay it when a pointer that comes is soon pressed.
 */
export const NearLink = (props: ComponentProps<typeof Link>) => <Link prefetch={false} {...props} />
