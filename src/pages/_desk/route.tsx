import { createFileRoute } from '@tanstack/react-router'
import { session } from '../../api-core.ts'
import { begin } from '../../routed/first.ts'
import { roleQuery } from '../../session.ts'
import { Desk } from '../../shell/desk/desk.tsx'

/** Everything of administrators on a wide screen. Loads antd; /m never comes here. */
export const Route = createFileRoute('/_desk')({
  loader: () => void (session.token && begin(roleQuery)),
  component: Desk,
})
