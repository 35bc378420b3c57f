import { createFileRoute } from '@tanstack/react-router'
import { MobileLogin } from '../../features/auth/sign-in/mobile-login.tsx'

/** Sign-in within the app; outside the app, it is a small separate entry (`src/pc/page/pocket/`). */
export const Route = createFileRoute('/m/login')({ staticData: { title: '登录', who: 'public' }, component: MobileLogin })
