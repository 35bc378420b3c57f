import { useRouter } from '@tanstack/react-router'
import type { RouteFacts } from './desk/menu.ts'

type Node = { fullPath?: string; options?: { staticData?: RouteFacts } }

/** The route of an address written as a pattern (`/wageAdmin`, `/m/slip/$id`), whatever its letter case. */
export function useRouteOf() {
  const router = useRouter()
  const all = router.routesByPath as unknown as Record<string, Node>
  return (path: string): Node | undefined => {
    const wanted = path.toLowerCase()
    const found = Object.keys(all).find((known) => known.toLowerCase() === wanted)
    return found === undefined ? undefined : all[found]
  }
}
