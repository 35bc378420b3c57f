/**
 * The routed app as started by a payslip and by the payslip list: its route tree has no desktop pages, because employees
 * do not need them to see their pay. Navigating to one of them loads the whole app.
 */
import type { AnyRoute } from '@tanstack/react-router'
import { Route as rootRoute } from '../pages/__root.tsx'
import { Route as mobileRoute } from '../pages/m/route.tsx'
import { ElsewhereRoute } from './elsewhere.ts'
import { getMobilePath } from './mobile-path.ts'
import { startApp } from './start.tsx'

/** Places a page in the tree, as the generated tree does. */
const placeRoute = (route: AnyRoute, path: string, parent: AnyRoute) =>
  route.update({ id: path, path, getParentRoute: () => parent } as Parameters<AnyRoute['update']>[0])

const pages = import.meta.glob<AnyRoute>(['../pages/m/*.tsx', '!../pages/m/route.tsx'], { eager: true, import: 'Route' })
const layout = placeRoute(mobileRoute, '/m', rootRoute)
layout._addFileChildren(Object.entries(pages).map(([file, page]) => placeRoute(page, getMobilePath(file), layout)))

startApp(rootRoute._addFileChildren([layout, ElsewhereRoute]))
