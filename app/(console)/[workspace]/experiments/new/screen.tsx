'use client'
import dynamic from 'next/dynamic'
import type { ComponentProps } from 'react'
import { NewExperiment } from '@/components/runs/experiments/new-experiment'

// Features cannot import each other, so an experiment and the form of a context are joined here.
const Context = dynamic(
  () => import('@/components/assistants/form/arguments-form').then((module) => module.ArgumentsForm),
  { ssr: false },
)

export const Screen = (props: Omit<ComponentProps<typeof NewExperiment>, 'Context'>) => (
  <NewExperiment {...props} Context={Context} />
)
