/** Keys of nodes: kind and name, in a spelling in which no two can meet. */
export const nodeKey = {
  composite: 'TofuWorkspace',
  schedule: (name: string): string => JSON.stringify(['Schedule', name]),
  route: (name: string): string => JSON.stringify(['HTTPRoute', name]),
  unreadableRoute: (index: number): string => JSON.stringify(['unreadable HTTPRoute', index]),
  bucket: (key: string): string => JSON.stringify(['bucket', key]),
  record: (name: string): string => JSON.stringify(['record', name]),
  ignoredHost: (route: string, host: string): string => JSON.stringify(['ignored host', route, host]),
  object: (kind: string, name: string): string => JSON.stringify(['object', kind, name]),
} as const;
