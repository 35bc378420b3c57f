import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/m/login')({ staticData: { title: '登录' }, component: () => <p>登录</p> })
