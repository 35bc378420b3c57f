import { routeTree } from './routes.gen.ts'
import { start } from './start.tsx'

start(routeTree)
