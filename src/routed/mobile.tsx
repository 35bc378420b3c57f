/**
 * The routed app as started by a payslip and by the payslip list: the build leaves the desktop pages out of the route
 * tree (`build/mobile-routes.ts`), because employees do not need them to see their pay. Navigating to one of them loads
 * the whole app.
 */
import { routeTree } from './routes.gen.ts'
import { startApp } from './start.tsx'

startApp(routeTree)
