import { createFileRoute } from '@tanstack/react-router'
import { Desk } from '../../shell/desk.tsx'

/** Everything of administrators on a wide screen. Loads antd; /m never comes here. */
export const Route = createFileRoute('/_desk')({ component: Desk })
