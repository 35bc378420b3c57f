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

/** Attaches a page to its parent, as the generated tree does. */
const attachRoute = (route: AnyRoute, path: string, parent: AnyRoute) =>
  route.update({ id: path, path, getParentRoute: () => parent } as Parameters<AnyRoute['update']>[0])

const pages = import.meta.glob<AnyRoute>(['../pages/m/*.tsx', '!../pages/m/route.tsx'], { eager: true, import: 'Route' })
const layout = attachRoute(mobileRoute, '/m', rootRoute)
layout._addFileChildren(Object.entries(pages).map(([file, page]) => attachRoute(page, getMobilePath(file), layout)))

startApp(rootRoute._addFileChildren([layout, ElsewhereRoute]))
