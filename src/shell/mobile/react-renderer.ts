import { unstableSetRender } from 'antd-mobile'
import { createRoot, type Root } from 'react-dom/client'

/**
 * antd-mobile draws Toast and Dialog outside the tree with an API that React 19 no longer has; this is the other one. To be called:
 * the build takes files of the shell to do nothing when they are merely imported.
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
