'use client'
import { signOut } from 'next-auth/react'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'

export const SignOutButton = () => (
  <Button onClick={() => void signOut({ callbackUrl: routes.signIn() })}>Sign out</Button>
)
