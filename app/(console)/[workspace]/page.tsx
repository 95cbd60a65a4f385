import { redirect } from 'next/navigation'
import { routes } from '@/lib/routes'

export default async function Page({ params }: PageProps<'/[workspace]'>) {
  redirect(routes.deployments((await params).workspace))
}
