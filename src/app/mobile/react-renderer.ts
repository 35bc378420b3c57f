import { unstableSetRender } from 'antd-mobile'
import { createRoot, type Root } from 'react-dom/client'

/**
 * antd-mobile renders Toast and Dialog outside the tree with an API that React 19 removed; this provides its
 * replacement. It is a function because the build treats imports of shell files as free of side effects.
 */
const roots = new WeakMap<object, Root>()
export const installReactRenderer = () =>
  unstableSetRender((node, container) => {
    const root = roots.get(container) ?? createRoot(container)
    roots.set(container, root)
    root.render(node)
    return async () => {
      await Promise.resolve()
      root.unmount()
    }
  })
