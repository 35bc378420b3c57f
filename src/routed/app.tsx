import { routeTree } from './routes.gen.ts'
import { startApp } from './start.tsx'

startApp(routeTree)
