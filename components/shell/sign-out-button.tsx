'use client'
import { Button } from '@/components/ui/button'
import { leave } from './leave'

export const SignOutButton = () => <Button onClick={() => void leave()}>Sign out</Button>
