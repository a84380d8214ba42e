export { type Network, type NetworkOptions, openNetwork } from './network.ts'
