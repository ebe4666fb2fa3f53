"""Tests of the debates study."""
