/**
 * The routed app as a slip and the list of slips begin it: the build leaves the pages of the desk out of the tree (`build/mobile-routes.ts`), which
 * nobody needs to see what he was paid. Whoever goes on to one of them gets the whole app.
 */
import { routeTree } from './routes.gen.ts'
import { startApp } from './start.tsx'

startApp(routeTree)
