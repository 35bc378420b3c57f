import { Tree as AntTree } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { TreeNode } from './tree-picker.tsx'

const collectIds = (tree: readonly TreeNode[]): string[] => tree.flatMap((node) => [node.ID, ...collectIds(node.child)])

/**
 * A tree, fully expanded until the user collapses a branch. Selecting the selected node again deselects it. With a
 * `height` it scrolls by itself and renders only the visible rows. `folded` with `onFold`: the page stores which nodes
 * are collapsed.
 */
export function Tree<N extends TreeNode>(props: {
  tree: readonly N[]
  selected?: string | undefined
  onChoose?: (id: string | undefined) => void
  titleMap?: (node: N) => ReactNode
  height?: number
  folded?: ReadonlySet<string>
  onFold?: (folded: ReadonlySet<string>) => void
}) {
  const { tree, selected, onChoose: onSelect, titleMap: renderTitle, height } = props
  // Stores collapsed nodes, not expanded ones: a branch added later is expanded as well.
  const [ownFolded, setOwnFolded] = useState<ReadonlySet<string>>(new Set())
  const [folded, setFolded] = props.folded ? [props.folded, props.onFold] : [ownFolded, setOwnFolded]
  const all = useMemo(() => collectIds(tree), [tree])
  // The array stays the same while nothing is collapsed, because antd recalculates the layout for a new one.
  const expanded = useMemo(() => all.filter((id) => !folded.has(id)), [all, folded])
  return (
    <AntTree
      blockNode
      treeData={tree as never[]}
      fieldNames={{ title: 'NAME', key: 'ID', children: 'child' }}
      expandedKeys={expanded}
      onExpand={(keys) => {
        const expandedIds = new Set(keys)
        const visibleIds = new Set(all)
        // Nodes hidden by a search keep their state.
        setFolded?.(new Set([...[...folded].filter((id) => !visibleIds.has(id)), ...all.filter((id) => !expandedIds.has(id))]))
      }}
      selectedKeys={selected ? [selected] : []}
      onSelect={([id]) => onSelect?.(id === undefined ? undefined : String(id))}
      // Long trees have no row animation.
      {...(height ? { height, motion: false } : {})}
      {...(renderTitle ? { titleRender: (node: unknown) => renderTitle(node as N) } : {})}
    />
  )
}
