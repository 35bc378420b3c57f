import { createFileRoute } from '@tanstack/react-router'
import { MobileLayout } from '../../app/mobile/layout.tsx'

/** All employee pages and pages for narrow screens. Loads antd-mobile; the desktop app never loads this file. */
export const Route = createFileRoute('/m')({ component: MobileLayout })
