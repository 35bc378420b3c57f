import { createFileRoute } from '@tanstack/react-router'
import { Pocket } from '../../shell/pocket/pocket.tsx'

/** Everything of employees and narrow screens. Loads antd-mobile; the desk never comes here. */
export const Route = createFileRoute('/m')({ component: Pocket })
