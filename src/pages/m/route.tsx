import { createFileRoute } from '@tanstack/react-router'
import { MobileLayout } from '../../shell/mobile/layout.tsx'

/** Everything of employees and narrow screens. Loads antd-mobile; the desk never comes here. */
export const Route = createFileRoute('/m')({ component: MobileLayout })
