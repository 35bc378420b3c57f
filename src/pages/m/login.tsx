import { createFileRoute } from '@tanstack/react-router'
import { MobileLogin } from '../../features/auth/sign-in/mobile-login.tsx'

/** Sign-in within the app; from outside it is a small entry of its own (`src/pc/page/pocket/`). */
export const Route = createFileRoute('/m/login')({ staticData: { title: '登录', who: 'public' }, component: MobileLogin })
