import { useRouter } from '@tanstack/react-router'
import type { RouteMetadata } from './desktop/menu.ts'

type RouteNode = { fullPath?: string; options?: { staticData?: RouteMetadata } }

/** Returns a function that finds the route of an address pattern (`/wageAdmin`, `/m/slip/$id`), ignoring letter case. */
export function useFindRoute() {
  const router = useRouter()
  const all = router.routesByPath as unknown as Record<string, RouteNode>
  return (path: string): RouteNode | undefined => {
    const lowercasePath = path.toLowerCase()
    const matchedPath = Object.keys(all).find((routePath) => routePath.toLowerCase() === lowercasePath)
    return matchedPath === undefined ? undefined : all[matchedPath]
  }
}
