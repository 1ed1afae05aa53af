// Package demo simulates a fleet of agents against a real processor: agents
// that fall into loops and get out, that do not get out, that only look like
// loops, that burn their budget, and that give up properly.
//
// The agents are scripts, no model is called; what watches them is the product.
// Start at Run.
package demo
